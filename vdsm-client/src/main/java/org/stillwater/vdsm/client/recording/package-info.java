/**
 * Recordings of hosts' messages: writes them with pseudonyms for names, addresses and texts of
 * guests, and reads them. The reader of a recording interprets it.
 */
@NullMarked
package org.stillwater.vdsm.client.recording;

import org.jspecify.annotations.NullMarked;
