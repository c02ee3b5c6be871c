/**
 * Authentication and authorization: users, tokens, sessions and the table of access in front of
 * every request. What a request then does is no business of this package.
 */
@NullMarked
package org.stillwater.server.security;

import org.jspecify.annotations.NullMarked;
