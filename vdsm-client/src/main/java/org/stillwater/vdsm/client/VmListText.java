package org.stillwater.vdsm.client;

import org.stillwater.core.report.VmReportSink;
import org.stillwater.vdsm.jsonrpc.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

/**
 * Decodes lists of VMs, as {@code Host.getAllVmStats} answers with them, that did not come over a
 * connection. Not thread-safe.
 */
public final class VmListText {

    private final VmDecoder decoder = new VmDecoder();

    /**
     * Decodes a list.
     *
     * @param list the result of {@code Host.getAllVmStats}, UTF-8
     * @param hostAddress replaces the address of a console that has none
     * @return the number of VMs handed over
     * @throws IllegalArgumentException if this is no such list
     */
    public int decode(byte[] list, String hostAddress, VmReportSink sink) {
        try (JsonParser parser = Json.FACTORY.createParser(ObjectReadContext.empty(), list)) {
            parser.nextToken();
            int count = decoder.decodePoll(parser, hostAddress, sink);
            if (count < 0) {
                throw new IllegalArgumentException("no list of VMs");
            }
            return count;
        } catch (JacksonException notJson) {
            throw new IllegalArgumentException("not JSON", notJson);
        }
    }
}
