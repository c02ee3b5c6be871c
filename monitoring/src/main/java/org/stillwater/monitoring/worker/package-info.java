/**
 * Supervised threads: each loop of the engine runs under one guard that keeps it alive, counts its
 * failures and says in health how it works. What a loop does must not live here.
 */
@NullMarked
package org.stillwater.monitoring.worker;

import org.jspecify.annotations.NullMarked;
