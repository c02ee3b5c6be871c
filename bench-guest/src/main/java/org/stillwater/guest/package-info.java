/**
 * The benchmark of a disk, run inside a VM or on a host: four operations at nine record sizes. It
 * knows no other module and uses the JDK only.
 */
@NullMarked
package org.stillwater.guest;

import org.jspecify.annotations.NullMarked;
