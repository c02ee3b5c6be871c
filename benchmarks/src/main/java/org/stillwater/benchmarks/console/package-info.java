/**
 * Measures the console in a real Chromium, over the Chrome DevTools Protocol: the browser's
 * process, the connection, and the measurements on the page. The fleet and the engine belong to
 * {@code scale}.
 */
@NullMarked
package org.stillwater.benchmarks.console;

import org.jspecify.annotations.NullMarked;
