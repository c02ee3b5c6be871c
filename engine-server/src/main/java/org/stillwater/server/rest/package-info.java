/**
 * The REST interface {@code /api/v1}: JSON forms, lists, errors. Answers come from memory only; no
 * query and no decision about a VM or host lives here.
 */
@NullMarked
package org.stillwater.server.rest;

import org.jspecify.annotations.NullMarked;
