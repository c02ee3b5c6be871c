package org.stillwater.vdsm.client.recording;

import java.util.UUID;
import org.stillwater.core.host.HostStatus;

/**
 * A recorded host as the engine knew it when the recording began.
 *
 * @param id identity; a pseudonym in a recording
 * @param name its name
 * @param address its DNS name or IP address
 * @param status its status
 * @param connected whether a connection stood
 */
public record RecordedHost(
        UUID id, String name, String address, HostStatus status, boolean connected) {}
