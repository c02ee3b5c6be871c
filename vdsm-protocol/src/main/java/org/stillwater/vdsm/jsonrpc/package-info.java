/**
 * JSON-RPC 2.0 envelopes as VDSM uses them: requests written, answers and events read as a stream.
 * What a payload means is not known here.
 */
@NullMarked
package org.stillwater.vdsm.jsonrpc;

import org.jspecify.annotations.NullMarked;
