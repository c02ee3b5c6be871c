package org.stillwater.vdsm.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.EventName;
import org.stillwater.vdsm.jsonrpc.JsonRpcError;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.wire.ErrorCode;
import org.stillwater.vdsm.wire.EventKind;
import org.stillwater.vdsm.wire.ParamField;
import org.stillwater.vdsm.wire.Verb;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Speaks the engine's language on one side and VDSM's verbs on the other. Small answers are decoded
 * on the session's thread; answers and events about VMs are passed on as they arrived, to be
 * decoded by the owner of the VMs.
 *
 * <p>It is long because it has a method for each question and each order.
 */
final class VdsmHostConnection implements HostConnection, CallPassage, HostSession.Handler {

    /** Reads a result from its first token. */
    @FunctionalInterface
    interface ResultReader<T> {
        T read(JsonParser parser) throws MalformedEnvelope;
    }

    /** Reads a message to its end. */
    @FunctionalInterface
    private interface MessageReader<T> {
        T read(Envelope envelope, FrameBody body) throws MalformedEnvelope;
    }

    private final HostDefinition host;
    private final HostListener listener;
    private final VmDecoder.Pool decoders;
    private final PollMemory memory = new PollMemory();
    private final HostCaller caller;
    private final HostDecoder decoder;
    private final StatisticsReader statistics;
    private final HostStorage storage = new VdsmStorage(this);
    private final int dumpxmlsChunk;

    /** Limit for the definitions of one call, over all its requests. */
    private final long mostDomainCharacters;

    VdsmHostConnection(
            HostDefinition host,
            HostListener listener,
            ConnectionResources wire,
            VmDecoder.Pool decoders) {
        this(
                host,
                listener,
                wire.settings.bounds(),
                wire.meter,
                decoders,
                handler -> {
                    HostSession session = new HostSession(host, wire, handler);
                    CallPassage passage = wire.passageOf(host.id());
                    return passage == null
                            ? session
                            : new PassingCaller(host.id(), session, passage, wire);
                });
    }

    /**
     * A connection without a session.
     *
     * @param caller creates the sender of requests; its argument receives unsolicited messages
     */
    VdsmHostConnection(
            HostDefinition host,
            HostListener listener,
            VdsmClientSettings.Bounds bounds,
            WireMeter meter,
            VmDecoder.Pool decoders,
            Function<HostSession.Handler, HostCaller> caller) {
        this.host = host;
        this.listener = listener;
        this.decoders = decoders;
        this.decoder =
                new HostDecoder(
                        bounds.hostMembers(),
                        count -> meter.misfits(host.id(), count),
                        listener::altered);
        this.statistics = new StatisticsReader(decoder);
        this.dumpxmlsChunk = bounds.dumpxmlsChunk();
        this.mostDomainCharacters = bounds.frames().bodyBytes();
        this.caller = caller.apply(this);
    }

    void start() {
        session().start();
    }

    HostCaller caller() {
        return caller;
    }

    HostSession session() {
        return switch (caller) {
            case HostSession session -> session;
            case PassingCaller passing -> passing.session();
            default -> throw new IllegalStateException("the connection has no session");
        };
    }

    /** Sends a call of another program over this connection. */
    @Override
    public void pass(PassedCall call, Outcome outcome) {
        byte[] params = call.params();
        try {
            JsonRpcRequest.requireObject(params);
        } catch (MalformedEnvelope malformed) {
            outcome.notSent(new HostFailure.ProtocolViolation(Refusals.words(malformed)));
            return;
        }
        session()
                .call(
                        call.verb(),
                        id -> JsonRpcRequest.encode(id, call.verb(), params),
                        call.limit(),
                        new HostCaller.Receiver() {
                            @Override
                            public void answered(HostCaller.Answer answer) {
                                passBack(answer, call.mostAnswerBytes(), outcome);
                            }

                            @Override
                            public void failed(HostFailure failure) {
                                outcome.failed(failure);
                            }

                            @Override
                            public void notSent(HostFailure failure) {
                                outcome.notSent(failure);
                            }
                        });
    }

    private static void passBack(HostCaller.Answer answer, int mostBytes, Outcome outcome) {
        try (answer) {
            answer.link().understood();
            FrameBody body = answer.frame().body();
            if (body.length() > mostBytes) {
                outcome.failed(
                        new HostFailure.ProtocolViolation(
                                "the answer has %d bytes, more than %d"
                                        .formatted(body.length(), mostBytes)));
            } else {
                outcome.answered(body.toByteArray());
            }
        }
    }

    @Override
    public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
        ask(Verb.GET_CAPABILITIES, JsonRpcRequest.NO_PARAMS, decoder::capabilities, receiver);
    }

    @Override
    public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
        ask(Verb.GET_HARDWARE_INFO, JsonRpcRequest.NO_PARAMS, decoder::hardware, receiver);
    }

    @Override
    public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
        call(Verb.GET_STATS, JsonRpcRequest.NO_PARAMS, statistics::read, receiver);
    }

    @Override
    public void expectNoPolls() {
        memory.forget();
    }

    @Override
    public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
        caller.call(
                Verb.GET_ALL_VM_STATS,
                JsonRpcRequest.NO_PARAMS,
                new HostCaller.Receiver() {
                    @Override
                    public void answered(HostCaller.Answer answer) {
                        JsonRpcError error = answer.envelope().error();
                        if (error != null) {
                            answer.close();
                            failed(failureOf(error));
                            return;
                        }
                        VmReports reports =
                                new VmMessage(
                                        VmReports.Kind.POLL,
                                        host,
                                        answer.frame(),
                                        answer.envelope(),
                                        answer.sentNanos(),
                                        answer.receivedNanos(),
                                        decoders,
                                        memory,
                                        answer.link());
                        boolean taken = false;
                        try {
                            receiver.accept(new HostAnswer.Success<>(reports));
                            taken = true;
                        } finally {
                            if (!taken) {
                                reports.close();
                            }
                        }
                    }

                    @Override
                    public void failed(HostFailure failure) {
                        receiver.accept(new HostAnswer.Failed<>(failure));
                    }
                });
    }

    @Override
    public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
        new DomainXmls(vms, receiver).next();
    }

    @Override
    public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
        destroy(vm, json -> json.writeStringProperty(ParamField.VM_ID, vm.toString()), receiver);
    }

    @Override
    public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
        VmId vm = order.vmId();
        Consumer<JsonGenerator> params = json -> OrderParams.write(order, json);
        if (order instanceof VmOrder.Destroy) {
            destroy(vm, params, receiver);
        } else {
            command(OrderParams.verb(order), params, _ -> vm, receiver);
        }
    }

    private void destroy(
            VmId vm, Consumer<? super JsonGenerator> params, Consumer<HostAnswer<VmId>> receiver) {
        this.<VmId>command(
                Verb.VM_DESTROY,
                params,
                _ -> vm,
                answer -> {
                    boolean gone =
                            answer instanceof HostAnswer.Failed<VmId>(HostFailure.Refused refused)
                                    && refused.code() == ErrorCode.NO_SUCH_VM;
                    receiver.accept(gone ? new HostAnswer.Success<>(vm) : answer);
                });
    }

    @Override
    public void externalData(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
        ask(
                Verb.VM_GET_EXTERNAL_DATA,
                json -> {
                    json.writeStringProperty(ParamField.VM_ID, vm.toString());
                    json.writeStringProperty(
                            ParamField.KIND,
                            switch (kind) {
                                case TPM -> "tpm";
                                case NVRAM -> "nvram";
                            });
                    if (knownHash != null) {
                        json.writeStringProperty(ParamField.LAST_HASH, knownHash);
                    }
                    json.writeBooleanProperty(ParamField.FORCE_UPDATE, refresh);
                },
                HostDecoder::externalData,
                receiver);
    }

    @Override
    public HostStorage storage() {
        return storage;
    }

    @Override
    public void reconnect(String reason) {
        caller.reconnect(reason);
    }

    @Override
    public void close() {
        caller.close();
    }

    @Override
    public @Nullable String certificateShown(HostCertificate shown) {
        return listener.certificateShown(host, shown);
    }

    @Override
    public void connected() {
        listener.connected();
    }

    @Override
    public void disconnected(HostFailure failure) {
        listener.disconnected(failure);
    }

    @Override
    public void malformed(String reason) {
        listener.malformed(reason);
    }

    @Override
    public void unexplained(String what) {
        listener.unexplained(what);
    }

    @Override
    public void slowed() {
        listener.slowed();
    }

    @Override
    public void event(
            EventName name, StompFrame frame, long receivedNanos, VmMessage.Verdict from) {
        switch (name.component() + '|' + name.operation()) {
            case EventKind.VIRT + '|' + EventKind.VM_STATUS ->
                    listener.vmsChanged(
                            new VmMessage(
                                    VmReports.Kind.EVENT,
                                    host,
                                    frame,
                                    null,
                                    receivedNanos,
                                    receivedNanos,
                                    decoders,
                                    memory,
                                    from));
            case EventKind.VIRT + '|' + EventKind.VM_MIGRATION_STATUS -> {
                try (frame) {
                    migrationProgressed(frame);
                    from.understood();
                } catch (MalformedEnvelope | JacksonException malformed) {
                    from.malformed(Refusals.words(malformed));
                    listener.malformed(Refusals.words(malformed));
                }
            }
            case EventKind.NET + '|' + EventKind.HOST_CONN -> {
                frame.close();
                listener.networkChanged();
            }
            default -> frame.close();
        }
    }

    private void migrationProgressed(StompFrame frame) throws MalformedEnvelope {
        try (Envelope envelope = Envelope.open(frame.body())) {
            if (!envelope.hasPayload()
                    || envelope.payload().currentToken() != JsonToken.START_OBJECT) {
                throw new MalformedEnvelope("the params of an event are not an object");
            }
            JsonParser p = envelope.payload();
            while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                String key = p.currentName();
                if (p.nextToken() != JsonToken.START_OBJECT) {
                    p.skipChildren();
                    continue;
                }
                long progress = -1;
                long downtime = -1;
                while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                    String member = p.currentName();
                    p.nextToken();
                    switch (member) {
                        case VmField.PROGRESS -> progress = Lenient.longOf(p, -1);
                        case VmField.DOWNTIME -> downtime = Lenient.longOf(p, -1);
                        default -> p.skipChildren();
                    }
                }
                if (progress >= 0) {
                    listener.migrationProgressed(
                            vmIdOf(key),
                            (int) Math.min(progress, 100),
                            downtime < 0 ? null : (Long) downtime);
                }
            }
            envelope.finish();
        }
    }

    private static VmId vmIdOf(String text) throws MalformedEnvelope {
        try {
            return VmId.parse(text);
        } catch (IllegalArgumentException notAUuid) {
            throw new MalformedEnvelope(Refusals.words(notAUuid), notAUuid);
        }
    }

    <T> void ask(
            String verb,
            Consumer<? super JsonGenerator> params,
            ResultReader<T> reader,
            Consumer<HostAnswer<T>> receiver) {
        call(verb, params, whole(reader), receiver);
    }

    /** As {@link #ask}, for a command. */
    <T> void command(
            String verb,
            Consumer<? super JsonGenerator> params,
            ResultReader<T> reader,
            Consumer<HostAnswer<T>> receiver) {
        caller.command(verb, params, receiver(whole(reader), receiver));
    }

    private static <T> MessageReader<T> whole(ResultReader<T> reader) {
        return (envelope, _) -> {
            T value = reader.read(envelope.payload());
            envelope.finish();
            return value;
        };
    }

    private <T> void call(
            String verb,
            Consumer<? super JsonGenerator> params,
            MessageReader<T> reader,
            Consumer<HostAnswer<T>> receiver) {
        caller.call(verb, params, receiver(reader, receiver));
    }

    private static <T> HostCaller.Receiver receiver(
            MessageReader<T> reader, Consumer<HostAnswer<T>> receiver) {
        return new HostCaller.Receiver() {
            @Override
            public void answered(HostCaller.Answer answer) {
                receiver.accept(read(answer, reader));
            }

            @Override
            public void failed(HostFailure failure) {
                receiver.accept(new HostAnswer.Failed<>(failure));
            }
        };
    }

    private static <T> HostAnswer<T> read(HostCaller.Answer answer, MessageReader<T> reader) {
        try (answer) {
            Envelope envelope = answer.envelope();
            JsonRpcError error = envelope.error();
            if (error != null) {
                answer.link().understood();
                return new HostAnswer.Failed<>(failureOf(error));
            }
            if (!envelope.hasPayload()) {
                throw new MalformedEnvelope("an answer without result");
            }
            T value = reader.read(envelope, answer.frame().body());
            answer.link().understood();
            return new HostAnswer.Success<>(value);
        } catch (MalformedEnvelope | JacksonException malformed) {
            answer.link().malformed(Refusals.words(malformed));
            return new HostAnswer.Failed<>(
                    new HostFailure.ProtocolViolation(Refusals.words(malformed)));
        }
    }

    /** Codes decide, never texts; unknown codes are kept and shown. */
    private static HostFailure failureOf(JsonRpcError error) {
        return switch (error.code()) {
            case ErrorCode.RECOVERING -> new HostFailure.Recovering(error.message());
            case ErrorCode.RESOURCE_EXHAUSTED -> new HostFailure.Overloaded(error.message());
            default -> new HostFailure.Refused(error.code(), error.message());
        };
    }

    /**
     * One request for many VMs, in chunks, one after the other. One unknown id fails the whole
     * chunk on the host (−32603). The engine then requests that chunk again id by id, and leaves
     * out the ids that fail.
     */
    private final class DomainXmls {
        private final Deque<List<VmId>> chunks = new ArrayDeque<>();
        private final Map<VmId, String> found = new LinkedHashMap<>();
        private long characters;
        private final Consumer<HostAnswer<Map<VmId, String>>> receiver;

        DomainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
            this.receiver = receiver;
            for (int from = 0; from < vms.size(); from += dumpxmlsChunk) {
                chunks.add(
                        List.copyOf(vms.subList(from, Math.min(vms.size(), from + dumpxmlsChunk))));
            }
        }

        void next() {
            List<VmId> chunk = chunks.poll();
            if (chunk == null) {
                receiver.accept(new HostAnswer.Success<>(Map.copyOf(found)));
                return;
            }
            ask(
                    Verb.DUMPXMLS,
                    json -> {
                        json.writeArrayPropertyStart(ParamField.VM_LIST);
                        chunk.forEach(vm -> json.writeString(vm.toString()));
                        json.writeEndArray();
                    },
                    result -> HostDecoder.domainXmls(result, Set.copyOf(chunk)),
                    answer -> took(chunk, answer));
        }

        private void took(List<VmId> chunk, HostAnswer<Map<VmId, String>> answer) {
            switch (answer) {
                case HostAnswer.Success<Map<VmId, String>>(Map<VmId, String> xmls) -> {
                    found.putAll(xmls);
                    xmls.values().forEach(xml -> characters += xml.length());
                    if (characters > mostDomainCharacters) {
                        chunks.clear(); // a caller that misses the others requests them again
                    }
                    next();
                }
                case HostAnswer.Failed<Map<VmId, String>>(HostFailure failure) -> {
                    if (!(failure instanceof HostFailure.Refused refused)
                            || (refused.code() != ErrorCode.INTERNAL
                                    && refused.code() != ErrorCode.NO_SUCH_VM)) {
                        receiver.accept(new HostAnswer.Failed<>(failure));
                        return;
                    }
                    if (chunk.size() > 1) {
                        chunk.reversed().forEach(vm -> chunks.addFirst(List.of(vm)));
                    }
                    next();
                }
            }
        }
    }
}
