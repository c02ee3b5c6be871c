package org.stillwater.server.trace;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Traces as OTLP sends them (opentelemetry-proto, collector/trace/v1). Not thread-safe. */
final class SpanEncoder {

    private static final int TRACE_ID_BYTES = 16;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final SplittableRandom random;

    SpanEncoder(SplittableRandom random) {
        this.random = random;
    }

    /** One request with these traces, each the root of its spans. */
    ExportTraceServiceRequest request(List<Span> traces) {
        ScopeSpans.Builder spans =
                ScopeSpans.newBuilder()
                        .setScope(InstrumentationScope.newBuilder().setName("org.stillwater"));
        for (Span trace : traces) {
            add(spans, trace, bytes(TRACE_ID_BYTES), null);
        }
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(
                        ResourceSpans.newBuilder()
                                .setResource(
                                        Resource.newBuilder()
                                                .addAttributes(
                                                        attribute("service.name", "stillwater")))
                                .addScopeSpans(spans))
                .build();
    }

    private void add(
            ScopeSpans.Builder spans, Span span, ByteString trace, @Nullable ByteString parent) {
        ByteString id = bytes(Long.BYTES);
        io.opentelemetry.proto.trace.v1.Span.Builder written =
                io.opentelemetry.proto.trace.v1.Span.newBuilder()
                        .setTraceId(trace)
                        .setSpanId(id)
                        .setName(span.name())
                        .setKind(io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_INTERNAL)
                        .setStartTimeUnixNano(nanos(span.start()))
                        .setEndTimeUnixNano(nanos(span.end()));
        if (parent != null) {
            written.setParentSpanId(parent);
        }
        for (Map.Entry<String, String> each : new TreeMap<>(span.attributes()).entrySet()) {
            written.addAttributes(attribute(each.getKey(), each.getValue()));
        }
        if (!span.error().isEmpty()) {
            written.setStatus(
                    Status.newBuilder()
                            .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                            .setMessage(span.error()));
        }
        spans.addSpans(written);
        for (Span part : span.parts()) {
            add(spans, part, trace, id);
        }
    }

    private static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * NANOS_PER_SECOND + at.getNano();
    }

    /** Identities of OTLP are not all zero. */
    private ByteString bytes(int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            bytes.putLong(random.nextLong() | 1);
        }
        return ByteString.copyFrom(bytes.flip());
    }
}
