/**
 * What reading a whole XAPI pool costs by encoding, on simulated pools in processes of their own.
 * The adapter does not live here.
 */
@NullMarked
package org.stillwater.benchmarks.xapi;

import org.jspecify.annotations.NullMarked;
