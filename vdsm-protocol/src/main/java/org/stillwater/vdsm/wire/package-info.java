/**
 * Names and codes exactly as they stand on the wire between an engine and VDSM (protocol page
 * §§1.4, 2.4, 3, 4). Nothing is decided or converted here.
 */
@NullMarked
package org.stillwater.vdsm.wire;

import org.jspecify.annotations.NullMarked;
