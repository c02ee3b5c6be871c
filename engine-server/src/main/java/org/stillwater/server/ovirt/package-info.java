/** The compatible API on the web: its servlet, its settings, and none of its content. */
@NullMarked
package org.stillwater.server.ovirt;

import org.jspecify.annotations.NullMarked;
