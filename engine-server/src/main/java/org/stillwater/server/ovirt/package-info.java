/**
 * The compatible API on the web: its servlet, its settings plugged in, and nothing of what it says.
 */
@NullMarked
package org.stillwater.server.ovirt;

import org.jspecify.annotations.NullMarked;
