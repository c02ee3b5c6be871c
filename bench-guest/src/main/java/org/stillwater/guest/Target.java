package org.stillwater.guest;

import java.util.UUID;

/**
 * What the engine calls the machine that is measured.
 *
 * @param kind {@code vm} or {@code host}
 * @param id its identity in the engine
 */
record Target(String kind, UUID id) {}
