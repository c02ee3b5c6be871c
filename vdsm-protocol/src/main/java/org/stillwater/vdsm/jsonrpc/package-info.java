/**
 * JSON-RPC 2.0 envelopes as VDSM uses them: it writes requests, and reads answers and events as a
 * stream. Payloads are opaque here.
 */
@NullMarked
package org.stillwater.vdsm.jsonrpc;

import org.jspecify.annotations.NullMarked;
