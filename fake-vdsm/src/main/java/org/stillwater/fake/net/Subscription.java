package org.stillwater.fake.net;

/**
 * What a client asked to hear.
 *
 * @param connection where to send it
 * @param id the client's name for it
 * @param destination what it listens to
 */
record Subscription(Connection connection, String id, String destination) {}
