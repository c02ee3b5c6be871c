package org.stillwater.core.model;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A word that people put on VMs and hosts. Tags form a tree; its root is no tag of its own.
 * Immutable.
 *
 * @param id identity
 * @param name what people call it, unique
 * @param description what it is for, perhaps empty
 * @param parent the tag above it; null for the root
 */
public record Tag(UUID id, String name, String description, @Nullable UUID parent) {}
