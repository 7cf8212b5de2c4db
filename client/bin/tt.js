#!/usr/bin/env node
import '../dist/esm/cli/main.js';
