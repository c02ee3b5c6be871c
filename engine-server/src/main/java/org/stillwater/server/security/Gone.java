package org.stillwater.server.security;

import org.stillwater.core.model.ClusterId;

/** A cluster is gone, and with it what was granted on it. */
public record Gone(ClusterId cluster) {}
