/**
 * STOMP 1.2 frames as VDSM uses them: values, an encoder, an incremental decoder and the storage of
 * large bodies. No socket, no JSON and no session rule lives here.
 */
@NullMarked
package org.stillwater.vdsm.stomp;

import org.jspecify.annotations.NullMarked;
