// Rules of the linter for tests: they wait for states, not for time, and do not assert how fast something is. Benchmarks and what
// runs at night are exempt (.oxlintrc.json). Who needs the exception says why where it is: `-- reason` after the rule's name.

const clocks = ['performance.now', 'Date.now'];
const pauses = ['setTimeout', 'setInterval', 'scheduler'];

/** Reports a duration: `Date.now() - before`. What is computed from a number, such as a date two hours ago, is none. */
const noDurations = {
  create: (context) => ({
    BinaryExpression(node) {
      if (node.operator !== '-' || !isClock(node.left)) return;
      if (!['Identifier', 'MemberExpression', 'LogicalExpression'].includes(node.right.type)) return;
      context.report({
        node,
        message:
          'A test measures no duration: it fails on a busy machine. Wait for a state, or use the clock of the service.',
      });
    },
  }),
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

function isClock(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object, property } = node.callee;
  return clocks.includes(`${object.name}.${property.name}`);
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
