package org.stillwater.monitoring.vm;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;

/**
 * One VM as a reader sees it.
 *
 * @param id identity
 * @param definition its definition
 * @param state its known state
 * @param lastReportAt when a host last reported it, to the second of a poll; null if no host has
 *     since the engine started, so that the state is only the saved one
 */
public record VmView(VmId id, VmStatic definition, VmState state, @Nullable Instant lastReportAt) {}
