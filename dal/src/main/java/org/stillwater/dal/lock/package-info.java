/**
 * The lock by which one engine or program has a database: JDBC and the server's advisory locks
 * only. Pools, settings and logins are outside.
 */
@NullMarked
package org.stillwater.dal.lock;

import org.jspecify.annotations.NullMarked;
