// A rule of the linter for the service: it waits on the clock (src/core/clock.ts), which tests move, and not on timers of the platform.
// .oxlintrc.json lists the files that have to wait in real time: they guard a socket, a thread, another process or the end of this one.

const timers = ['setTimeout', 'setInterval'];

const noTimers = {
  create(context) {
    const report = (node) =>
      context.report({ node, message: 'The service waits on its clock, so that tests need not wait.' });
    return {
      ImportDeclaration(node) {
        if (!/^(?:node:)?timers(?:\/promises)?$/.test(node.source.value)) return;
        for (const specifier of node.specifiers)
          if (specifier.imported?.name !== 'setImmediate') report(specifier);
      },
      CallExpression({ callee }) {
        const { object, property } = callee;
        if (timers.includes(callee.name)) report(callee);
        if (object?.name === 'globalThis' && timers.includes(property.name)) report(callee);
        if (object?.name === 'AbortSignal' && property.name === 'timeout') report(callee);
      },
    };
  },
};

export default { meta: { name: 'clock' }, rules: { 'no-timers': noTimers } };
