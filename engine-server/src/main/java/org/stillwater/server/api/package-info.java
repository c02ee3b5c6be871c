/**
 * The native API {@code /api/v1}, one package for each subject. Subjects use {@code rows} and
 * {@code web}, never the reverse. Answers come from memory; no query and no decision about a VM or
 * host lives here.
 */
@NullMarked
package org.stillwater.server.api;

import org.jspecify.annotations.NullMarked;
