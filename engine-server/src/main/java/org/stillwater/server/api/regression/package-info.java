/**
 * Regressions for clients: findings, their evidence, and users' decisions about them. Finding them
 * does not live here.
 */
@NullMarked
package org.stillwater.server.api.regression;

import org.jspecify.annotations.NullMarked;
