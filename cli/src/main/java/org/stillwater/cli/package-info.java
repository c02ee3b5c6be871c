/**
 * The command line of Stillwater: a client of the native REST interface and of the event stream. It
 * knows no other module, and uses no library but picocli, so that it starts fast.
 */
@NullMarked
package org.stillwater.cli;

import org.jspecify.annotations.NullMarked;
