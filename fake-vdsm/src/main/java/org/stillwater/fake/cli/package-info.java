/**
 * The program {@code fake-hosts}: options, wiring, start, stop and what is printed. Nothing that
 * another program could want to call must live here.
 */
@NullMarked
package org.stillwater.fake.cli;

import org.jspecify.annotations.NullMarked;
