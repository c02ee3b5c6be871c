package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The engine's port, beside what {@code server.*} says of it.
 *
 * @param sendBuffer what the system keeps for one client that does not read it yet (SO_SNDBUF); 0
 *     leaves it to the system, which takes some megabytes each for far or slow clients. A bound for
 *     thousands of slow readers of streams
 */
@ConfigurationProperties("stillwater.http")
public record HttpSettings(@DefaultValue("0B") DataSize sendBuffer) {

    public HttpSettings {
        Checks.size("http.send-buffer", sendBuffer, DataSize.ofBytes(0), DataSize.ofMegabytes(64));
    }
}
