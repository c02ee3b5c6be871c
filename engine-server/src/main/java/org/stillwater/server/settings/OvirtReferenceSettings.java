package org.stillwater.server.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Values that oVirt's clients expect and the engine does not manage.
 *
 * @param instanceId identity of this installation
 * @param productName name of the product
 * @param vendor vendor name
 * @param major version that clients take their features from; at least 4.4.5 as a whole for
 *     Terraform
 * @param minor see {@code major}
 * @param build see {@code major}
 * @param fullVersion the same as text
 * @param storageName name of storage domains: alone for the only one of a data centre, else before
 *     the beginning of its identity
 * @param storageType access of hosts to storage: {@code nfs}, {@code iscsi}, {@code localfs}, …
 * @param storageAddress address of storage
 * @param storagePath path of storage
 * @param storageSize size of a storage domain; without it, free space is not shown
 * @param networkName network of a data centre whose hosts and VMs name none
 * @param webSocketProxy address of the consoles' proxy for browsers, {@code host:port}, as oVirt's
 *     option {@code WebSocketProxy}; Off for none
 */
@ConfigurationProperties("stillwater.ovirt.reference")
public record OvirtReferenceSettings(
        @DefaultValue("5711a7e2-0000-4000-8000-000000000001") String instanceId,
        @DefaultValue("Stillwater") String productName,
        @DefaultValue("stillwater") String vendor,
        @DefaultValue("4") int major,
        @DefaultValue("5") int minor,
        @DefaultValue("5") int build,
        @DefaultValue("4.5.5-1") String fullVersion,
        @DefaultValue("data") String storageName,
        @DefaultValue("nfs") String storageType,
        @DefaultValue("storage") String storageAddress,
        @DefaultValue("/data") String storagePath,
        @Nullable DataSize storageSize,
        @DefaultValue("ovirtmgmt") String networkName,
        @DefaultValue("Off") String webSocketProxy) {

    /** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
    private static final Pattern PROXY =
            Pattern.compile("(?:[A-Za-z0-9_.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):([1-9][0-9]{0,4})");

    private static final int LAST_PORT = 65_535;

    public OvirtReferenceSettings {
        Checks.number("ovirt.reference.major", major, 4, 4);
        Checks.number("ovirt.reference.minor", minor, 0, 99);
        Checks.number("ovirt.reference.build", build, 0, 9_999);
        Checks.require(
                webSocketProxy.equals("Off") || isProxy(webSocketProxy),
                "ovirt.reference.web-socket-proxy",
                "Off or host:port",
                webSocketProxy);
    }

    private static boolean isProxy(String text) {
        Matcher found = PROXY.matcher(text);
        return found.matches() && Integer.parseInt(found.group(1)) <= LAST_PORT;
    }
}
