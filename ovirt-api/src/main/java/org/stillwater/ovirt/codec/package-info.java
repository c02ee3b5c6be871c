/** How the model is written and read: XML and JSON from the same records. */
@NullMarked
package org.stillwater.ovirt.codec;

import org.jspecify.annotations.NullMarked;
