/**
 * The stream of changes, as server-sent events and by WebSocket: subscriptions, filters, and frames
 * that readers share.
 */
@NullMarked
package org.stillwater.server.api.stream;

import org.jspecify.annotations.NullMarked;
