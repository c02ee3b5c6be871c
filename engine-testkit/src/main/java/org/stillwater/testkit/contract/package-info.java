/** Contracts of the ports to the database: tests that each implementation passes. */
@NullMarked
package org.stillwater.testkit.contract;

import org.jspecify.annotations.NullMarked;
