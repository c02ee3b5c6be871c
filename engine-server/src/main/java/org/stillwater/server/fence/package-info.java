/**
 * Ways to bring silent hosts back that do not go through their agents. When that is done is decided
 * by monitoring.
 */
@NullMarked
package org.stillwater.server.fence;

import org.jspecify.annotations.NullMarked;
