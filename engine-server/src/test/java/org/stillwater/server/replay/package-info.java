/**
 * Replays requests of oVirt's clients that cannot be installed here: what they send, and what they
 * read of the answers. The requests are files, not code.
 */
package org.stillwater.server.replay;
