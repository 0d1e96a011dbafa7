// A participant of another vendor: Fast DDS, with its own discovery and its own CDR, against the node.
// Reads rod_states and /tf, sends rod_commands, and ends with 0 once it has seen that its command moved the rod.
#include <fastcdr/Cdr.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace eprosima::fastdds::dds;
using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

struct Rod {
    std::string name;
    bool closed;
    std::vector<double> positions, velocities, orientations, tensions, curvatures, twists;
};

struct RodStates {
    int32_t sec;
    uint32_t nanosec;
    std::string frame;
    std::vector<Rod> rods;

    void read(Cdr& cdr)
    {
        uint32_t count;
        cdr >> sec >> nanosec >> frame >> count;
        rods.resize(count);
        for (Rod& rod : rods) {
            cdr >> rod.name >> rod.closed >> rod.positions >> rod.velocities >> rod.orientations >> rod.tensions >>
                rod.curvatures >> rod.twists;
        }
    }
    void write(Cdr&) const {}
};

struct Transform {
    int32_t sec;
    uint32_t nanosec;
    std::string frame, child;
    double numbers[7];
};

struct Transforms {
    std::vector<Transform> transforms;

    void read(Cdr& cdr)
    {
        uint32_t count;
        cdr >> count;
        transforms.resize(count);
        for (Transform& t : transforms) {
            cdr >> t.sec >> t.nanosec >> t.frame >> t.child;
            for (double& number : t.numbers) {
                cdr >> number;
            }
        }
    }
    void write(Cdr&) const {}
};

struct RodCommand {
    std::string drive;
    std::vector<double> value;

    void read(Cdr&) {}
    void write(Cdr& cdr) const
    {
        cdr << int32_t(0) << uint32_t(0) << std::string();                                      // header
        cdr << std::string() << uint32_t(0) << std::vector<double>() << std::vector<double>();  // no rest shape
        cdr << uint32_t(1) << drive << value << false;                                          // one target
    }
};

struct JointState {
    std::vector<std::string> names;
    std::vector<double> positions, velocities, efforts;

    void read(Cdr& cdr)
    {
        int32_t sec;
        uint32_t nanosec;
        std::string frame;
        cdr >> sec >> nanosec >> frame >> names >> positions >> velocities >> efforts;
    }
    void write(Cdr& cdr) const
    {
        cdr << int32_t(0) << uint32_t(0) << std::string() << names << positions << velocities << efforts;
    }
    // where a joint is; far away if it is not there
    double position(const std::string& name) const
    {
        for (size_t i = 0; i < names.size() && i < positions.size(); i++) {
            if (names[i] == name) {
                return positions[i];
            }
        }
        return 1e9;
    }
};

template <typename Message>
class Type : public TopicDataType
{
   public:
    explicit Type(const char* name)
    {
        setName(name);
        m_typeSize = 1 << 20;
        m_isGetKeyDefined = false;
    }
    bool serialize(void* data, SerializedPayload_t* payload) override
    {
        FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->max_size);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
        cdr.serialize_encapsulation();
        static_cast<const Message*>(data)->write(cdr);
        payload->length = static_cast<uint32_t>(cdr.getSerializedDataLength());
        return true;
    }
    bool deserialize(SerializedPayload_t* payload, void* data) override
    {
        FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        try {
            cdr.read_encapsulation();
            static_cast<Message*>(data)->read(cdr);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "cannot decode: %s\n", error.what());
            return false;
        }
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void*) override
    {
        return [this] { return m_typeSize; };
    }
    void* createData() override { return new Message(); }
    void deleteData(void* data) override { delete static_cast<Message*>(data); }
    bool getKey(void*, InstanceHandle_t*, bool) override { return false; }
};

static const char* failure(const RodStates& states, const Transforms& transforms, const JointState& joints)
{
    if (states.frame != "world" || states.rods.size() != 2 || states.rods[0].name != "cable" ||
        states.rods[1].name != "hoop") {
        return "rod_states: wrong names";
    }
    for (const Rod& rod : states.rods) {
        const size_t nodes = rod.twists.size();
        const size_t edges = rod.closed ? nodes : nodes - 1;
        if (rod.positions.size() != 3 * nodes || rod.velocities.size() != 3 * nodes || rod.tensions.size() != edges ||
            rod.orientations.size() != 4 * edges || rod.curvatures.size() != 2 * nodes) {
            return "rod_states: wrong sizes";
        }
    }
    if (transforms.transforms.size() < 4 || transforms.transforms[1].child != "cable/end" ||
        transforms.transforms[1].frame != "world" || transforms.transforms[3].child != "palm" ||
        transforms.transforms[3].frame != "rail") {
        return "/tf: wrong frames";
    }
    if (joints.positions.size() != joints.names.size() || joints.velocities.size() != joints.names.size() ||
        joints.efforts.size() != joints.names.size() || joints.position("lift") > 1.0) {
        return "joint_states: wrong names or sizes";
    }
    return nullptr;
}

static DomainParticipant* join(uint32_t domain)
{
    DomainParticipantQos qos;
    auto loopback = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    loopback->interfaceWhiteList.push_back("127.0.0.1");
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(loopback);
    return DomainParticipantFactory::get_instance()->create_participant(domain, qos);
}

/* one type on the topics of a participant */
template <typename Message>
class Topics
{
   public:
    Topics(DomainParticipant* member, const char* type_name) : participant(member), type(new Type<Message>(type_name))
    {
        type.register_type(participant);
    }
    DataReader* reader(const char* topic)
    {
        DataReaderQos qos = DATAREADER_QOS_DEFAULT;
        qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
        qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
        return participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)
            ->create_datareader(participant->create_topic(topic, type.get_type_name(), TOPIC_QOS_DEFAULT), qos);
    }
    DataWriter* writer(const char* topic)
    {
        return participant->create_publisher(PUBLISHER_QOS_DEFAULT)
            ->create_datawriter(participant->create_topic(topic, type.get_type_name(), TOPIC_QOS_DEFAULT),
                                DATAWRITER_QOS_DEFAULT);
    }

   private:
    DomainParticipant* participant;
    TypeSupport type;
};

/* the newest sample, if there is one */
template <typename Message>
static bool take(DataReader* reader, Message& message)
{
    SampleInfo info;
    bool taken = false;
    while (reader->take_next_sample(&message, &info) == ReturnCode_t::RETCODE_OK) {
        taken |= info.valid_data;
    }
    return taken;
}

int main()
{
    DomainParticipant* participant = join(static_cast<uint32_t>(std::atoi(std::getenv("ROS_DOMAIN_ID"))));
    Topics<RodStates> states_topics(participant, "filum::msg::dds_::RodStates_");
    Topics<Transforms> transforms_topics(participant, "tf2_msgs::msg::dds_::TFMessage_");
    Topics<RodCommand> command_topics(participant, "filum::msg::dds_::RodCommand_");
    Topics<JointState> joint_topics(participant, "sensor_msgs::msg::dds_::JointState_");
    DataReader* states_reader = states_topics.reader("rt/rod_states");
    DataReader* transforms_reader = transforms_topics.reader("rt/tf");
    DataReader* joints_reader = joint_topics.reader("rt/joint_states");
    DataWriter* rod_writer = command_topics.writer("rt/rod_commands");
    DataWriter* joint_writer = joint_topics.writer("rt/joint_commands");

    RodStates states;
    Transforms transforms;
    JointState joints;
    RodCommand rod_command{"pull", {0.0, 0.0, 0.5}};
    JointState joint_command{{"lift"}, {0.05}, {}, {}};
    bool has_states = false, has_transforms = false, has_joints = false;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < limit) {
        has_states |= take(states_reader, states);
        has_transforms |= take(transforms_reader, transforms);
        has_joints |= take(joints_reader, joints);
        if (has_states && has_transforms && has_joints) {
            const char* what = failure(states, transforms, joints);
            if (what != nullptr) {
                std::fprintf(stderr, "%s\n", what);
                return 1;
            }
            // the end of the cable hangs until a command lifts it; the gripper is lifted too, less 1.4 mm for its weight
            if (states.rods[0].positions.back() > 0.05 && std::fabs(joints.position("lift") - 0.05) < 5e-3) {
                return 0;
            }
            rod_writer->write(&rod_command);
            joint_writer->write(&joint_command);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::fprintf(stderr, "time is up: rod_states %d, /tf %d, joint_states %d\n", has_states, has_transforms,
                 has_joints);
    return 2;
}
