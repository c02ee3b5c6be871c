package org.stillwater.fake.net;

/**
 * A client's subscription.
 *
 * @param connection takes its messages
 * @param id the client's name for it
 * @param destination the destination subscribed to
 */
record Subscription(Connection connection, String id, String destination) {}
