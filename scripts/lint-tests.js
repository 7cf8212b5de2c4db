// Rules of the linter for tests: they wait for states, not for time, and do not assert how fast something is. Benchmarks and what
// runs at night are exempt (.oxlintrc.json). Who needs the exception says why where it is: `-- reason` after the rule's name.

const pauses = ['setTimeout', 'setInterval', 'scheduler'];

/**
 * Reports a duration: `Date.now() - before`. What is computed from a number, such as a date two hours ago, is none. `performance.now()` can
 * only begin or end one, so it is reported wherever it is kept, computed with or compared.
 */
const noDurations = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          'A test measures no duration: it fails on a busy machine. Wait for a state, or use the clock of the service.',
      });
    return {
      BinaryExpression(node) {
        if (node.operator !== '-' || callOf(node.left) !== 'Date.now') return;
        if (['Identifier', 'MemberExpression', 'LogicalExpression'].includes(node.right.type)) report(node);
      },
      CallExpression(node) {
        if (callOf(node) !== 'performance.now') return;
        if (['BinaryExpression', 'VariableDeclarator'].includes(node.parent.type)) report(node);
      },
    };
  },
};

/** Reports what makes a test wait for time: the timers that are promises, and a timer whose end resolves one. */
const noPauses = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          'A test does not pause: wait for the state (test/support/wait-for.ts), or show that nothing happens with quietFor.',
      });
    return {
      ImportDeclaration(node) {
        if (!/^(?:node:)?timers\/promises$/.test(node.source.value)) return;
        for (const specifier of node.specifiers) {
          if (specifier.type !== 'ImportSpecifier' || pauses.includes(specifier.imported.name))
            report(specifier);
        }
      },
      CallExpression(node) {
        if (node.callee.type !== 'Identifier' || !pauses.includes(node.callee.name)) return;
        if (isResolver(node.arguments[0]) || isOfPromise(node)) report(node);
      },
    };
  },
};

/** `Date.now` of `Date.now()`. */
function callOf(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  return `${object.name}.${property.name}`;
}

/** `resolve`, or that of `Promise.withResolvers()`. */
function isResolver(node) {
  if (node?.type === 'MemberExpression') return node.property.name === 'resolve';
  return node?.type === 'Identifier' && node.name === 'resolve';
}

/** Whether it stands in the function of a `new Promise`. */
function isOfPromise(node) {
  let inner = node;
  for (let outer = node.parent; outer; inner = outer, outer = outer.parent) {
    if (outer.type === 'NewExpression')
      return outer.callee.name === 'Promise' && outer.arguments[0] === inner;
  }
  return false;
}

export default { meta: { name: 'tests' }, rules: { 'no-durations': noDurations, 'no-pauses': noPauses } };
