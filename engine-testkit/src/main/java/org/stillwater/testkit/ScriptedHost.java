package org.stillwater.testkit;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.time.EngineClock;

/**
 * A host under a test's control: it keeps the engine's calls until they are answered. Calls and
 * listener are used on the test's thread.
 */
public final class ScriptedHost implements HostConnection {

    /** Empty statistics. */
    public static final HostStatistics NO_STATISTICS = new HostValues().statistics();

    private final HostDefinition definition;
    private final HostListener listener;
    private final EngineClock clock;
    private final Deque<Poll> polls = new ArrayDeque<>();
    private final Deque<Consumer<HostAnswer<HostStatistics>>> statisticsCalls = new ArrayDeque<>();
    private final Deque<Consumer<HostAnswer<HostCapabilities>>> capabilitiesCalls =
            new ArrayDeque<>();
    private final Deque<DomainCall> domainCalls = new ArrayDeque<>();
    private final List<VmId> destroyed = new ArrayList<>();
    private final Deque<DestroyCall> destroyCalls = new ArrayDeque<>();
    private final Deque<ExternalDataCall> externalDataCalls = new ArrayDeque<>();
    private final List<VmOrder> orders = new ArrayList<>();
    private final Deque<OrderCall> orderCalls = new ArrayDeque<>();
    private final Deque<OrderCall> lostOrders = new ArrayDeque<>();
    private Function<VmOrder, OrderReply> orderScript = _ -> OrderReply.ACCEPT;
    private boolean closed;
    private boolean readOnly;
    private int reconnects;
    private @Nullable String pushTrouble = NOT_PUSHED;

    private record Poll(long askedNanos, Consumer<HostAnswer<VmReports>> receiver) {}

    private record DestroyCall(VmId vm, Consumer<HostAnswer<VmId>> receiver) {}

    /** An order that waits for its answer. */
    public record OrderCall(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {

        /** The host takes the order. */
        public void accept() {
            receiver.accept(new HostAnswer.Success<>(order.vmId()));
        }

        /** The host does not. */
        public void fail(HostFailure failure) {
            receiver.accept(new HostAnswer.Failed<>(failure));
        }
    }

    /** How the host answers an order. */
    public sealed interface OrderReply {

        /** It takes the order at once. */
        OrderReply ACCEPT = new Accept();

        /** It answers when the test orders it. */
        OrderReply HOLD = new Hold();

        /** It never answers: the call ends when the connection is lost. */
        OrderReply LOSE = new Lose();

        /** It answers with an error code. */
        static OrderReply refuse(int code) {
            return new Fail(new HostFailure.Refused(code, "refused by the test"));
        }

        /** See {@link #ACCEPT}. */
        record Accept() implements OrderReply {}

        /** See {@link #HOLD}. */
        record Hold() implements OrderReply {}

        /** See {@link #LOSE}. */
        record Lose() implements OrderReply {}

        /** The call fails at once. */
        record Fail(HostFailure failure) implements OrderReply {}
    }

    /** A call for domain XML that waits for its answer. */
    public record DomainCall(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {}

    /** A call for TPM or NVRAM data that waits for its answer. */
    public record ExternalDataCall(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver) {}

    /** A host to which the engine just opened a connection. */
    public ScriptedHost(HostDefinition definition, HostListener listener, EngineClock clock) {
        this.definition = definition;
        this.listener = listener;
        this.clock = clock;
    }

    /** The engine's definition of this host. */
    public HostDefinition definition() {
        return definition;
    }

    /** The engine's listener. */
    public HostListener listener() {
        return listener;
    }

    /** Reports that the connection is open. Calls that were made on a former one have failed. */
    public void connect() {
        failCalls(new HostFailure.Unreachable("the connection was lost"));
        listener.connected();
    }

    /** Drops the connection: every call that waits fails. */
    public void disconnect(HostFailure failure) {
        failCalls(failure);
        listener.disconnected(failure);
    }

    /** Fails every call that waits. */
    public void failCalls(HostFailure failure) {
        drain(polls).forEach(poll -> poll.receiver().accept(new HostAnswer.Failed<>(failure)));
        drain(statisticsCalls).forEach(call -> call.accept(new HostAnswer.Failed<>(failure)));
        drain(capabilitiesCalls).forEach(call -> call.accept(new HostAnswer.Failed<>(failure)));
        drain(domainCalls)
                .forEach(call -> call.receiver().accept(new HostAnswer.Failed<>(failure)));
        drain(destroyCalls)
                .forEach(call -> call.receiver().accept(new HostAnswer.Failed<>(failure)));
        drain(orderCalls).forEach(call -> call.fail(failure));
        drain(lostOrders).forEach(call -> call.fail(failure));
        drain(externalDataCalls)
                .forEach(call -> call.receiver().accept(new HostAnswer.Failed<>(failure)));
    }

    private static <T> List<T> drain(Deque<T> calls) {
        List<T> drained = List.copyOf(calls);
        calls.clear();
        return drained;
    }

    /** From now on VMs come by themselves if this is null, and do not for this reason otherwise. */
    public void pushes(@Nullable String trouble) {
        pushTrouble = trouble;
    }

    /** Number of polls that wait for an answer. */
    public int pollsWaiting() {
        return polls.size();
    }

    /** When the oldest poll that waits was requested. */
    public long oldestPollNanos() {
        return Objects.requireNonNull(polls.peek(), "no poll waits").askedNanos();
    }

    /** Answers the oldest poll. */
    public void answerPoll(VmReports reports) {
        Objects.requireNonNull(polls.poll(), "no poll waits")
                .receiver()
                .accept(new HostAnswer.Success<>(reports));
    }

    /** Fails the oldest poll. */
    public void failPoll(HostFailure failure) {
        Objects.requireNonNull(polls.poll(), "no poll waits")
                .receiver()
                .accept(new HostAnswer.Failed<>(failure));
    }

    /** Answers every call for statistics that waits. */
    public void answerStatistics() {
        answerStatistics(NO_STATISTICS);
    }

    /** Answers every call for statistics that waits, with nothing but the host's wall clock. */
    public void answerStatistics(Instant hostClock) {
        answerStatistics(new HostValues().put(HostField.HOST_CLOCK, hostClock).statistics());
    }

    /** Answers every call for statistics that waits, with these; how many there were. */
    public int answerStatistics(HostStatistics statistics) {
        int waiting = statisticsCalls.size();
        drain(statisticsCalls).forEach(call -> call.accept(new HostAnswer.Success<>(statistics)));
        return waiting;
    }

    /** Answers every call for capabilities that waits, with this boot. */
    public void answerCapabilities(@Nullable String bootUuid) {
        answerCapabilities(bootUuid, List.of());
    }

    /** Answers every call for capabilities that waits, with this boot and these NUMA nodes. */
    public void answerCapabilities(@Nullable String bootUuid, List<HostNumaNode> numaNodes) {
        answerCapabilities(
                new HostValues()
                        .put(HostField.BOOT_UUID, bootUuid)
                        .put(HostField.SELINUX_MODE, 1)
                        .put(HostField.NUMA_NODES, numaNodes)
                        .capabilities());
    }

    /** Answers every call for capabilities that waits, with these. */
    public void answerCapabilities(HostCapabilities capabilities) {
        drain(capabilitiesCalls)
                .forEach(call -> call.accept(new HostAnswer.Success<>(capabilities)));
    }

    /** Number of calls for capabilities that wait. */
    public int capabilitiesWaiting() {
        return capabilitiesCalls.size();
    }

    /** Number of calls for domain XML that wait. */
    public int domainCallsWaiting() {
        return domainCalls.size();
    }

    /** The oldest call for domain XML that waits, or null. */
    public @Nullable DomainCall nextDomainCall() {
        return domainCalls.poll();
    }

    /** The oldest call for TPM or NVRAM data that waits, or null. */
    public @Nullable ExternalDataCall nextExternalDataCall() {
        return externalDataCalls.poll();
    }

    /** From now on this is a host of an engine that sends no changes. */
    public void readOnly() {
        readOnly = true;
    }

    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    /** Every VM that the engine ordered to destroy, in order. */
    public List<VmId> destroyed() {
        return List.copyOf(destroyed);
    }

    /** Answers the calls to destroy that wait. */
    public void answerDestroys() {
        drain(destroyCalls)
                .forEach(call -> call.receiver().accept(new HostAnswer.Success<>(call.vm())));
    }

    /**
     * Answers the calls to destroy that wait with this failure.
     *
     * @return how many there were
     */
    public int failDestroys(HostFailure failure) {
        List<DestroyCall> waiting = drain(destroyCalls);
        waiting.forEach(call -> call.receiver().accept(new HostAnswer.Failed<>(failure)));
        return waiting.size();
    }

    /** How the host answers orders from now on; {@link OrderReply#ACCEPT} in the beginning. */
    public void answersOrders(Function<VmOrder, OrderReply> script) {
        orderScript = script;
    }

    /** Every order that came, in order, with any answer. */
    public List<VmOrder> orders() {
        return List.copyOf(orders);
    }

    /** The orders of one kind that came, in order. */
    public <T extends VmOrder> List<T> orders(Class<T> kind) {
        return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Number of orders that are held back. */
    public int ordersWaiting() {
        return orderCalls.size();
    }

    /** Takes the oldest order that is held back, or null. */
    public @Nullable OrderCall nextOrder() {
        return orderCalls.poll();
    }

    /** Accepts the orders that are held back; how many there were. */
    public int answerOrders() {
        List<OrderCall> waiting = drain(orderCalls);
        waiting.forEach(OrderCall::accept);
        return waiting.size();
    }

    /** Whether the engine closed the connection. */
    public boolean isClosed() {
        return closed;
    }

    /** How often the engine requested a new connection. */
    public int reconnects() {
        return reconnects;
    }

    @Override
    public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
        capabilitiesCalls.add(receiver);
    }

    @Override
    public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
        receiver.accept(
                new HostAnswer.Success<>(new HostHardware(null, null, null, null, null, null)));
    }

    @Override
    public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
        statisticsCalls.add(receiver);
    }

    @Override
    public @Nullable String pushTrouble() {
        return pushTrouble;
    }

    @Override
    public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
        polls.add(new Poll(clock.nanoTime(), receiver));
    }

    @Override
    public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
        domainCalls.add(new DomainCall(List.copyOf(vms), receiver));
    }

    @Override
    public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
        destroyed.add(vm);
        destroyCalls.add(new DestroyCall(vm, receiver));
    }

    @Override
    public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
        orders.add(order);
        OrderCall call = new OrderCall(order, receiver);
        switch (orderScript.apply(order)) {
            case OrderReply.Accept _ -> call.accept();
            case OrderReply.Hold _ -> orderCalls.add(call);
            case OrderReply.Lose _ -> lostOrders.add(call);
            case OrderReply.Fail(HostFailure failure) -> call.fail(failure);
        }
    }

    @Override
    public void externalData(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
        externalDataCalls.add(new ExternalDataCall(vm, kind, knownHash, refresh, receiver));
    }

    @Override
    public HostStorage storage() {
        throw new UnsupportedOperationException("a scripted host has no storage");
    }

    @Override
    public void reconnect(String reason) {
        reconnects++;
    }

    @Override
    public void close() {
        closed = true;
        failCalls(new HostFailure.Unreachable("closed"));
    }
}
