#!/usr/bin/env node
// The command line, as built by build.js.
import '../dist/esm/cli/main.js';
