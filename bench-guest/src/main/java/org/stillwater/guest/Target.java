package org.stillwater.guest;

import java.util.UUID;

/**
 * Identity of the measured machine in the engine.
 *
 * @param kind {@code vm} or {@code host}
 * @param id its identity in the engine
 */
record Target(String kind, UUID id) {}
