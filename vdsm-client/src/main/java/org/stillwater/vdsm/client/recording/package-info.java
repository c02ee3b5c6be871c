/**
 * Recordings of what hosts send: written with names, addresses and texts of guests replaced by
 * pseudonyms, and read again. What a recording means is up to its reader.
 */
@NullMarked
package org.stillwater.vdsm.client.recording;

import org.jspecify.annotations.NullMarked;
