package org.stillwater.core.cluster;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A word that users attach to VMs and hosts. Tags form a tree; its root is no tag of its own.
 * Immutable.
 *
 * @param id identity
 * @param name its name, unique
 * @param description purpose, may be empty
 * @param parent the tag above it; null for the root
 */
public record Tag(UUID id, String name, String description, @Nullable UUID parent) {}
