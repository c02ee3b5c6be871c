/**
 * Names and codes on the wire between an engine and VDSM (protocol page §§1.4, 2.4, 3, 4), without
 * decisions and conversions.
 */
@NullMarked
package org.stillwater.vdsm.wire;

import org.jspecify.annotations.NullMarked;
