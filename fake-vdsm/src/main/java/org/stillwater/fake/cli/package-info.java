/**
 * The program {@code fake-hosts}: options, wiring, start, stop and output. Reusable code must not
 * live here.
 */
@NullMarked
package org.stillwater.fake.cli;

import org.jspecify.annotations.NullMarked;
