package org.stillwater.server.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.server.settings.OtlpSettings;

/** Pushes the engine's own meters to an OpenTelemetry collector, where a setting requests it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("stillwater.otlp.enabled")
class OtlpPush {

    @Bean
    OtlpMeterRegistry otlpMeterRegistry(OtlpSettings settings) {
        return OtlpMeterRegistry.builder(
                        new OtlpConfig() {
                            @Override
                            public @Nullable String get(String key) {
                                return null;
                            }

                            @Override
                            public String url() {
                                return settings.url().toString();
                            }

                            @Override
                            public Duration step() {
                                return settings.interval();
                            }

                            @Override
                            public Map<String, String> headers() {
                                return settings.headers();
                            }

                            @Override
                            public Map<String, String> resourceAttributes() {
                                return Map.of("service.name", "stillwater");
                            }
                        })
                .clock(Clock.SYSTEM)
                .metricsSender(new OtlpHttpMetricsSender(new CollectorSender(settings.timeout())))
                .build();
    }
}
