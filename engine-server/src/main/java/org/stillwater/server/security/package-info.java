/**
 * Authentication and authorization: users, tokens, sessions and the table of access in front of
 * every request. The effect of a request does not belong to this package.
 */
@NullMarked
package org.stillwater.server.security;

import org.jspecify.annotations.NullMarked;
