/**
 * The program {@code fake-pools}: options, wiring, start, stop and output. Reusable code must not
 * live here.
 */
@NullMarked
package org.stillwater.fake.xapi.cli;

import org.jspecify.annotations.NullMarked;
