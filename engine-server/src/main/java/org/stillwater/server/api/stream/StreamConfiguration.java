package org.stillwater.server.api.stream;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.alert.AlertTopic;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.settings.StreamSettings;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** The parts that all readers of the stream share. */
@Configuration(proxyBeanMethods = false)
class StreamConfiguration {

    @Bean
    StreamWriter.Shared sharedByStreamWriters(
            FleetReader fleet,
            VmLists lists,
            StreamBodies bodies,
            EncodedFrameCaches caches,
            AlertTopic alerts,
            EngineClock clock,
            JsonMapper mapper,
            StreamSettings settings) {
        return new StreamWriter.Shared(
                fleet,
                lists,
                bodies,
                caches,
                new SharedSnapshots(clock),
                alerts,
                mapper.writer()
                        .without(StreamWriteFeature.AUTO_CLOSE_TARGET)
                        .without(StreamWriteFeature.FLUSH_PASSED_TO_STREAM),
                settings.snapshotChunk());
    }
}
